"""Addresses that no page may be fetched from, as people write them who want it all the same."""

CLOSED = (
    # IPv4: this host, private, shared, loopback, link-local with metadata, reserved, documentation, multicast
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.0.0.2"),
    *("127.255.255.254", "168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255"),
    *("192.0.0.1", "192.0.0.192", "192.0.2.7", "192.88.99.1", "192.168.0.1", "192.168.255.254", "198.18.0.1"),
    *("198.51.100.3", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    # IPv6, and IPv4 inside it: mapped, compatible, NAT64, 6to4, Teredo, ISATAP
    *("::", "::1", "::7f00:1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0:127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::169.254.169.254", "64:ff9b:1::a00:1", "100::1", "2001::1", "2001:db8::1"),
    *("2001:10::1", "2001:20::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:c0a8:1::1", "3fff::1", "5f00::1"),
    *("2600::5efe:7f00:1", "2600::200:5efe:a00:1"),
    *("fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "ff0e::1", "4000::1"),
)
OPEN = ("1.1.1.1", "8.8.8.8", "93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::6810:84e5", "2a00::65")

FORMS = (                               # of hosts, and of whole addresses
    "http://2130706433/", "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://0x7f000001/", "http://127.1/",
    "http://127.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/",
    "http://localhost/", "http://LOCALHOST./", "http://intranet/", "http://db.internal/", "http://printer.local/",
    "http://metadata.google.internal/computeMetadata/v1/", "http://router.lan/", "http://host.docker.internal/",
    "http://a.localhost/", "http://x.home.arpa/", "http://wiki.corp/", "http://hidden.onion/",
    "http://[::1]/", "http://[::ffff:7f00:1]/", "http://[fe80::1%25eth0]/", "http://[::1%lo]/", "http://[v1.x]/",
    "http://user@www.site.org/", "http://user:word@127.0.0.1/", "http://www.site.org@127.0.0.1/",
    "http://127.0.0.1#@www.site.org/", "http://127.0.0.1\\@www.site.org/", "http://www.site.org:22/",
    "http://www.site.org:6379/", "https://www.site.org:99999/", "http://www.site.org:-1/",
    "file:///etc/passwd", "ftp://www.site.org/a", "gopher://127.0.0.1:6379/_x", "data:text/html,x", "javascript:1",
    "dict://127.0.0.1:11211/", "http:///a", "http://", "//127.0.0.1/", "http://www.site.org/\r\nHost: evil",
    "http://www.site.org/ a", "http://www..site.org/", "http://-a.site.org/", "http://a_.$.org/", "http://" + "a" * 64
    + ".org/", "http://www.site.org/" + "a" * 3000, "http://0/", "http://[::]/", "http://0.0.0.0:80/",
)


def url_of(address: str) -> str:
    return f"http://[{address}]/" if ":" in address else f"http://{address}/"


LITERALS = tuple(url_of(one) for one in CLOSED)
