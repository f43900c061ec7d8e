import { duration, flag, type Kind, listOf, path, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";
import { isBasePath, isHost, isHttpUrl, isNetwork } from "./network-texts.ts";

interface Limit {
  readonly default: number;
  readonly doc: string;
}

/** A limit for one network, and the same for all clients. `env` is the variable of the latter. */
function networkLimits(env: string, kind: Kind<number>, perNetwork: Limit, inAll: Limit) {
  return section({
    perNetwork: field(`${env}_PER_NETWORK`, kind, perNetwork.default, { doc: perNetwork.doc }),
    inAll: field(env, kind, inAll.default, { doc: inAll.doc }),
  });
}

/** How the server is reached. */
export const serverSection = section({
  host: field("HOST", text({ wanted: "a host name or an address", fits: isHost }), "127.0.0.1", {
    doc: "Address or host name to listen on; `0.0.0.0` and `::` mean every interface.",
  }),
  port: field("PORT", wholeNumber(0, 65_535), 8080, { doc: "Port to listen on; 0 takes a free one." }),
  basePath: field(
    "BASE_PATH",
    text({ wanted: 'empty, or a path such as "/api" without a slash at its end', fits: isBasePath }),
    "",
    { doc: "Prefix of every address, for servers mounted below a path." },
  ),
  publicUrl: optionalField(
    "PUBLIC_URL",
    text({ wanted: "an http or https address without query and fragment", fits: isHttpUrl }),
    {
      doc: "Address under which clients reach the server, with the base path, if it differs from host and port; told in log and banner.",
    },
  ),
  trustedProxies: field(
    "TRUSTED_PROXIES",
    listOf(text({ wanted: "an address or a network such as 10.0.0.0/8", fits: isNetwork })),
    [],
    { doc: "Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` count." },
  ),
  allowInsecureTransport: field("ALLOW_INSECURE_TRANSPORT", flag(), false, {
    doc: "Takes credentials over plain HTTP from anywhere; otherwise only from loopback or over TLS.",
  }),
  tls: section({
    certificateFile: optionalField("TLS_CERTIFICATE_FILE", path(), {
      doc: "Certificate chain as PEM; together with `keyFile` it turns HTTPS on.",
    }),
    keyFile: optionalField("TLS_KEY_FILE", path(), { doc: "Private key of the certificate as PEM." }),
  }),
  maxInFlight: field("MAX_IN_FLIGHT", wholeNumber(1, 100_000), 1_000, {
    doc: "Requests in work at once; more are answered 706. One that waits for its client is not in work.",
  }),
  maxConnections: networkLimits(
    "MAX_CONNECTIONS",
    wholeNumber(1, 1_000_000),
    {
      default: 1_000,
      doc: "Maximum connections from one IPv4 address or IPv6 /64, trusted proxies excepted. The server closes further ones without an answer.",
    },
    {
      default: 10_000,
      doc: "Maximum connections of all clients. The server closes further ones without an answer. Keep the value below the operating system's limit of open files.",
    },
  ),
  maxPipelined: field("MAX_PIPELINED", wholeNumber(0, 1_000), 32, {
    doc: "Requests that may wait on one connection for the answer to the one before; with more, it is closed after its answers.",
  }),
  maxAwaitedBodies: networkLimits(
    "MAX_AWAITED_BODIES",
    wholeNumber(1, 100_000),
    {
      default: 100,
      doc: "Maximum requests from one IPv4 address or IPv6 /64 with an incomplete body. Further ones are answered 706.",
    },
    { default: 1_000, doc: "The same limit for all clients." },
  ),
  maxUntakenBytes: networkLimits(
    "MAX_UNTAKEN_BYTES",
    wholeNumber(65_536, 1_099_511_627_776),
    {
      default: 67_108_864,
      doc: "Maximum bytes of answers that clients of one IPv4 address or IPv6 /64 have not received yet. Above it, further requests are answered 706.",
    },
    { default: 268_435_456, doc: "The same limit for all clients." },
  ),
  drainDelay: field("DRAIN_DELAY", duration("0s", "10m"), "2s", {
    doc: "Time after SIGTERM in which `/readyz` answers 503 and the server still serves requests. Set it longer than your load balancer takes to notice. The demo ignores it.",
  }),
  timeouts: section({
    headers: field("HEADERS_TIMEOUT", duration("100ms", "10m"), "10s", {
      doc: "Longest time from the first byte of a request to the end of its headers.",
    }),
    request: field("REQUEST_TIMEOUT", duration("100ms", "1h"), "30s", {
      doc: "Longest time from the first byte of a request to the end of its body.",
    }),
    body: field("BODY_TIMEOUT", duration("100ms", "1h"), "10s", {
      doc: "Longest wait for a JSON body, that of a log-in for instance, once its request was admitted; at most what `request` leaves of it.",
    }),
    stalledReader: field("STALLED_READER_TIMEOUT", duration("100ms", "10m"), "20s", {
      doc: "Maximum time in which a client receives nothing of an answer, or less than 256 KiB of a larger one. Then the server cuts the connection.",
    }),
    multi: field("MULTI_TIMEOUT", duration("10ms", "1h"), "60s", {
      doc: "Maximum time of a multi request. Items that have not started by then are answered 706; with `atomic=true` the transaction is rolled back.",
    }),
    keepAlive: field("KEEP_ALIVE_TIMEOUT", duration("100ms", "1h"), "65s", {
      doc: "How long an idle connection is kept; longer than that of a proxy in front.",
    }),
    drain: field("DRAIN_TIMEOUT", duration("0s", "10m"), "20s", {
      doc: "How long requests in work may take to finish when the server is told to stop.",
    }),
  }),
});
