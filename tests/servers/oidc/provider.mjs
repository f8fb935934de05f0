// A provider with one client; everybody who signs in as NAME is NAME, with a verified address but for "unverified".
// The program "helpdesk", with the same secret, gets access tokens (JWT) for whichever resource it names.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [modules, client, secret, callback, logout] = process.argv.slice(2);
const told = logout ? { backchannel_logout_uri: logout, backchannel_logout_session_required: true } : {};
const { Provider } = await import(createRequire(`${modules}/`).resolve('oidc-provider'));

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: client, client_secret: secret, redirect_uris: [callback], ...told },
      { client_id: 'helpdesk', client_secret: secret, redirect_uris: [], response_types: [], grant_types: ['client_credentials'] },
    ],
    features: {
      backchannelLogout: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: (_, resource) => ({ scope: '', audience: resource, accessTokenFormat: 'jwt' }) },
    },
    fetch: (url, options) => globalThis.fetch(url, { ...options, dispatcher: undefined }),     // loopback too
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['of the tests'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, email_verified: id !== 'unverified' }) }),
  });
  server.on('request', provider.callback());
  console.log(`READY ${issuer}`);
});
