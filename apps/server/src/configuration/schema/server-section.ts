import { duration, field, flag, listOf, optionalField, path, section, text, wholeNumber } from "../fields/index.ts";
import { isBasePath, isHost, isHttpUrl, isNetwork } from "./network-texts.ts";

/** How the server is reached. */
export const serverSection = section({
  host: field(text({ wanted: "a host name or an address", fits: isHost }), {
    env: "HOST",
    default: "127.0.0.1",
    doc: "Address or host name to listen on; `0.0.0.0` and `::` mean every interface.",
  }),
  port: field(wholeNumber(0, 65_535), {
    env: "PORT",
    default: 8080,
    doc: "Port to listen on; 0 takes a free one.",
  }),
  basePath: field(text({ wanted: 'empty, or a path such as "/api" without a slash at its end', fits: isBasePath }), {
    env: "BASE_PATH",
    default: "",
    doc: "Prefix of every address, for servers mounted below a path.",
  }),
  publicUrl: optionalField(text({ wanted: "an http or https address without query and fragment", fits: isHttpUrl }), {
    env: "PUBLIC_URL",
    doc: "Address under which clients reach the server, with the base path, if it differs from host and port; told in log and banner.",
  }),
  trustedProxies: field(listOf(text({ wanted: "an address or a network such as 10.0.0.0/8", fits: isNetwork })), {
    env: "TRUSTED_PROXIES",
    default: [],
    doc: "Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` count.",
  }),
  allowInsecureTransport: field(flag(), {
    env: "ALLOW_INSECURE_TRANSPORT",
    default: false,
    doc: "Takes credentials over plain HTTP from anywhere; otherwise only from loopback or over TLS.",
  }),
  tls: section({
    certificateFile: optionalField(path(), {
      env: "TLS_CERTIFICATE_FILE",
      doc: "Certificate chain as PEM; together with `keyFile` it turns HTTPS on.",
    }),
    keyFile: optionalField(path(), { env: "TLS_KEY_FILE", doc: "Private key of the certificate as PEM." }),
  }),
  maxInFlight: field(wholeNumber(1, 100_000), {
    env: "MAX_IN_FLIGHT",
    default: 1_000,
    doc: "Requests in work at once; more are answered 706. One that waits for its client is not in work.",
  }),
  maxConnections: field(wholeNumber(1, 1_000_000), {
    env: "MAX_CONNECTIONS",
    default: 10_000,
    doc: "Connections at once; more are closed unheard. Keep it below what the operating system allows in open files.",
  }),
  maxPipelined: field(wholeNumber(0, 1_000), {
    env: "MAX_PIPELINED",
    default: 32,
    doc: "Requests that may wait on one connection for the answer to the one before; with more, it is closed after its answers.",
  }),
  maxAwaitedBodies: section({
    perNetwork: field(wholeNumber(1, 100_000), {
      env: "MAX_AWAITED_BODIES_PER_NETWORK",
      default: 100,
      doc: "Requests of one IPv4 address or IPv6 /64 whose body is still to come; more are answered 706.",
    }),
    inAll: field(wholeNumber(1, 100_000), {
      env: "MAX_AWAITED_BODIES",
      default: 1_000,
      doc: "The same of all clients together.",
    }),
  }),
  maxUntakenAnswers: field(wholeNumber(1, 100_000), {
    env: "MAX_UNTAKEN_ANSWERS",
    default: 100,
    doc: "Answers that one IPv4 address or IPv6 /64 may leave unread for more than a second; its further requests are answered 706.",
  }),
  timeouts: section({
    headers: field(duration("100ms", "10m"), {
      env: "HEADERS_TIMEOUT",
      default: "15s",
      doc: "Longest time from the first byte of a request to the end of its headers.",
    }),
    request: field(duration("100ms", "1h"), {
      env: "REQUEST_TIMEOUT",
      default: "30s",
      doc: "Longest time from the first byte of a request to the end of its body.",
    }),
    body: field(duration("100ms", "1h"), {
      env: "BODY_TIMEOUT",
      default: "10s",
      doc: "Longest wait for a JSON body, that of a log-in for instance, once its request was admitted; at most what `request` leaves of it.",
    }),
    keepAlive: field(duration("100ms", "1h"), {
      env: "KEEP_ALIVE_TIMEOUT",
      default: "65s",
      doc: "How long an idle connection is kept; longer than that of a proxy in front.",
    }),
    drain: field(duration("0s", "10m"), {
      env: "DRAIN_TIMEOUT",
      default: "20s",
      doc: "How long requests in work may take to finish when the server is told to stop.",
    }),
  }),
});
