// `node provider.mjs PORT REDIRECT_URI SECRET`: an OpenID provider that takes every name and password.
import { Provider } from "oidc-provider";

const [port, redirect, secret] = process.argv.slice(2);
const provider = new Provider(`http://localhost:${port}`, {
  clients: [{ client_id: "aeon", client_secret: secret, redirect_uris: [redirect] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  cookies: { keys: ["only-in-tests"] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true }),
  }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
