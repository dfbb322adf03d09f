// One fetch: redirects followed by hand, every hop and every address checked, bytes capped while they come.

import dns from "node:dns";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { Refusal } from "./protocol.mjs";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

// Gives { url, status, headers, body, redirects }; body is a Buffer. Throws a Refusal.
export async function download(start, method, allowed, limits) {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limits.seconds * 1000);
  try {
    return await followed(start, method, allowed, limits, deadline.signal);
  } catch (error) {
    if (deadline.signal.aborted) {
      throw new Refusal("timeout", `${start.host} took longer than ${limits.seconds} seconds; raise timeoutSeconds.`);
    }
    if (error instanceof Refusal) throw error;
    throw new Refusal("unreachable", `${start.host} cannot be fetched: ${error.code ?? ""} ${error.message}`.trim());
  } finally {
    clearTimeout(timer);
  }
}

async function followed(start, method, allowed, limits, signal) {
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    allowed.checkUrl(url);
    const answer = await oneHop(url, method, allowed, limits, signal);
    const location = REDIRECTS.has(answer.status) ? answer.headers.location : undefined;
    if (location === undefined) return { ...answer, url, redirects };
    if (redirects >= limits.redirects) {
      const most = `more than the ${limits.redirects} that followRedirects allows`;
      throw new Refusal("too_many_redirects", `${start.host} redirects ${most}; it leads on to ${location.slice(0, 300)}.`);
    }
    url = redirected(location, url);
  }
}

function redirected(location, from) {
  try {
    return new URL(location, from);
  } catch {
    throw new Refusal("bad_redirect", `${from.host} redirects to what is no URL: ${location.slice(0, 300)}`);
  }
}

function oneHop(url, method, allowed, limits, signal) {
  return new Promise((resolve, reject) => {
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    if (net.isIP(literal)) allowed.checkAddress(literal, url);
    const client = url.protocol === "https:" ? https : http;
    const request = client.request(url, {
      method,
      signal,
      agent: false,
      lookup: checkedLookup(allowed, url),
      headers: { "User-Agent": "aeon-http-fetch/1", Accept: "*/*", "Accept-Encoding": "identity" },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      collected(response, method, limits.bytes).then(resolve, (error) => {
        request.destroy();
        reject(error);
      });
    });
    request.end();
  });
}

// The addresses are checked where they are looked up for the connection itself, so that no second look-up can differ.
function checkedLookup(allowed, url) {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error);
      try {
        for (const { address } of addresses) allowed.checkAddress(address, url);
      } catch (refusal) {
        return callback(refusal);
      }
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0].address, addresses[0].family);
    });
  };
}

async function collected(response, method, maxBytes) {
  const announced = Number(response.headers["content-length"] ?? 0);
  // A redirect's body is nobody's: what it holds is not read.
  const isWanted = method !== "HEAD" && !(REDIRECTS.has(response.statusCode) && response.headers.location);
  const answer = { status: response.statusCode, headers: response.headers, body: Buffer.alloc(0) };
  if (!isWanted) {
    response.destroy();
    return answer;
  }
  const tooLarge = () => new Refusal("too_large", `The answer is over ${maxBytes} bytes; raise maxBytes to fetch it.`);
  if (announced > maxBytes) throw tooLarge();
  const chunks = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return { ...answer, body: Buffer.concat(chunks) };
}
