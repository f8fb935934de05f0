"""Which network addresses a page may be fetched from: those of the public internet, and no others."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

# `is_global` alone is not enough: it passes relays, translators and one provider's host service.
_CLOSED_V4 = {
    ip_network(network): reason
    for network, reason in (
        ("0.0.0.0/8", "this host"), ("10.0.0.0/8", "private"), ("100.64.0.0/10", "shared by a carrier"),
        ("127.0.0.0/8", "loopback"), ("168.63.129.16/32", "a host service"), ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"), ("192.0.0.0/24", "reserved"), ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "reserved"), ("192.52.193.0/24", "reserved"), ("192.88.99.0/24", "a relay"),
        ("192.168.0.0/16", "private"), ("192.175.48.0/24", "reserved"), ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"), ("203.0.113.0/24", "documentation"), ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
}
# Everything else of IPv6 is closed: loopback, unique local, link-local, site-local, multicast, and every form that
# holds an IPv4 address and is taken to it by a translator (mapped, compatible, NAT64).
_OPEN_V6 = ip_network("2000::/3")
_CLOSED_V6 = {
    ip_network(network): reason
    for network, reason in (
        ("2001::/23", "reserved, or a tunnel"), ("2001:db8::/32", "documentation"), ("2002::/16", "a tunnel (6to4)"),
        ("2620:4f:8000::/48", "reserved"), ("3fff::/20", "documentation"),
    )
}
_ISATAP = (0x00005EFE, 0x02005EFE)      # the upper half of an interface id whose lower half is an IPv4 address


def parse_address(text: str) -> Address | None:
    """None for what is no address in its usual form, or names a network interface besides."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def closed(address: Address) -> str:
    """Why nothing may be fetched from `address`; empty if something may."""
    if isinstance(address, IPv4Address):
        reason = next((why for network, why in _CLOSED_V4.items() if address in network), "")
    elif address not in _OPEN_V6:
        reason = "no public address of IPv6"
    elif (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        reason = "a tunnel (ISATAP)"
    else:
        reason = next((why for network, why in _CLOSED_V6.items() if address in network), "")
    return reason or ("" if address.is_global else "not public")
