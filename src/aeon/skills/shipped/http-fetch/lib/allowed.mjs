// Which hosts and addresses may be spoken to. Pure: names are looked up elsewhere.

import net from "node:net";
import { Refusal } from "./protocol.mjs";

const HOW_TO_ALLOW = (host) =>
  `Allow it with: aeon skill config http-fetch --set allowedHosts=${host}`;

// Everything that is no address of the public internet.
const PRIVATE = new net.BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8], ["10.0.0.0", 8], ["100.64.0.0", 10], ["127.0.0.0", 8], ["169.254.0.0", 16],
  ["172.16.0.0", 12], ["192.0.0.0", 24], ["192.0.2.0", 24], ["192.168.0.0", 16], ["198.18.0.0", 15],
  ["198.51.100.0", 24], ["203.0.113.0", 24], ["224.0.0.0", 3],
]) PRIVATE.addSubnet(network, prefix, "ipv4");

// Of IPv6 only 2000::/3 is public, and of that not what wraps an IPv4 address (6to4, Teredo) or is for examples.
const PUBLIC_6 = new net.BlockList();
PUBLIC_6.addSubnet("2000::", 3, "ipv6");
const WRAPPED_6 = new net.BlockList();
for (const [network, prefix] of [["2001::", 23], ["2001:db8::", 32], ["2002::", 16], ["3fff::", 20]]) {
  WRAPPED_6.addSubnet(network, prefix, "ipv6");
}

export function isPrivate(address) {
  if (net.isIPv4(address)) return PRIVATE.check(address, "ipv4");
  return !PUBLIC_6.check(address, "ipv6") || WRAPPED_6.check(address, "ipv6");
}

// "[::1]" and "example.org." as they are compared: bare, lower case, one spelling for each address.
function plainHost(host) {
  return host.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

// An entry of allowedHosts: a host, host:port, or *.domain (subdomains only). Without a port, any port is meant.
function parsedEntry(entry) {
  const isWild = entry.startsWith("*.");
  const text = isWild ? entry.slice(2) : net.isIPv6(entry) ? `[${entry}]` : entry;
  let url;
  try {
    url = new URL(`http://${text}/`);
  } catch {
    url = null;
  }
  if (url === null || url.pathname !== "/" || url.username || url.search || url.hash) {
    throw new Refusal("bad_config", `allowedHosts has ${JSON.stringify(entry)}: write host, host:port or *.domain.`);
  }
  // URL drops a port that is its scheme's default, so it is read from the text.
  const port = /:(\d+)$/.exec(text.replace(/^\[.*\]/, ""))?.[1] ?? null;
  return { isWild, host: plainHost(url.hostname), port };
}

const portOf = (url) => url.port || (url.protocol === "https:" ? "443" : "80");

export class Allowed {
  constructor(entries) {
    this.entries = entries.map((entry) => parsedEntry(String(entry)));
  }

  // Throws a Refusal unless the URL is one that may be asked for.
  checkUrl(url) {
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new Refusal("bad_url", `${url.protocol.slice(0, 40)} is not fetched; only http and https are.`);
    }
    if (url.username || url.password) {
      throw new Refusal("bad_url", "The URL holds a user name or password; leave them out.");
    }
    if (this.#lists(url.hostname, portOf(url), true)) return;
    throw new Refusal("host_not_allowed", `${url.host} is not among the allowed hosts. ${HOW_TO_ALLOW(url.host)}`);
  }

  // Throws a Refusal when the address is private and not itself listed: a name that is allowed does not open it.
  checkAddress(address, url) {
    if (!isPrivate(address) || this.#lists(address, portOf(url), false)) return;
    const listed = net.isIPv6(address) ? `[${address}]:${portOf(url)}` : `${address}:${portOf(url)}`;
    const said = `${url.host} leads to the private address ${address}, which is not listed itself.`;
    throw new Refusal("private_address", `${said} ${HOW_TO_ALLOW(listed)} (besides the host)`);
  }

  #lists(name, port, orBelow) {
    const host = plainHost(name);
    return this.entries.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (entry.isWild ? orBelow && host.endsWith(`.${entry.host}`) : host === entry.host),
    );
  }
}
