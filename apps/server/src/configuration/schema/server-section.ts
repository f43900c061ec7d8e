import { duration, flag, listOf, path, text, wholeNumber, wholeNumberOrAuto } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";
import { isBasePath, isHost, isHttpUrl, isNetwork } from "./network-texts.ts";

/** Network settings of the server. */
export const serverSection = section({
  host: field("HOST", text({ expected: "a host name or an address", fits: isHost }), "127.0.0.1", {
    doc: "Host name or IP address to listen on. `0.0.0.0` and `::` listen on every interface.",
  }),
  port: field("PORT", wholeNumber(0, 65_535), 8080, { doc: "TCP port to listen on. 0 selects a free port." }),
  workers: field("WORKERS", wholeNumberOrAuto(1, 256), 1, {
    doc: "Number of processes that serve requests behind one listener. `auto` starts one for each processor, or a single one if only one process can use a database. The limits of connections, requests, pools and memory apply to each of them.",
  }),
  basePath: field(
    "BASE_PATH",
    text({ expected: 'empty, or a path such as "/api" without a trailing slash', fits: isBasePath }),
    "",
    { doc: "Path prefix of every URL, for a server behind a reverse proxy." },
  ),
  publicUrl: optionalField(
    "PUBLIC_URL",
    text({ expected: "an http or https URL without query and fragment", fits: isHttpUrl }),
    {
      doc: "URL that clients use to reach the server, including the base path. Required with `oAuthProviders`, except for `apple` alone.",
    },
  ),
  trustedProxies: field(
    "TRUSTED_PROXIES",
    listOf(text({ expected: "an IP address or a network such as 10.0.0.0/8", fits: isNetwork })),
    [],
    {
      doc: "IP addresses and networks of the proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers the server trusts.",
    },
  ),
  allowInsecureTransport: field("ALLOW_INSECURE_TRANSPORT", flag(), false, {
    doc: "Accepts credentials over plain HTTP from every client. By default, the server accepts them over TLS and from loopback only.",
  }),
  tls: section({
    certificateFile: optionalField("TLS_CERTIFICATE_FILE", path(), {
      doc: "PEM file with the certificate chain. Together with `keyFile`, it enables HTTPS.",
    }),
    keyFile: optionalField("TLS_KEY_FILE", path(), { doc: "PEM file with the private key of the certificate." }),
  }),
  maxRequestsInFlight: field("MAX_REQUESTS_IN_FLIGHT", wholeNumber(1, 100_000), 1_000, {
    doc: "Maximum number of requests processed at once. Further requests fail with 706. Requests with an incomplete body do not count.",
  }),
  maxConnections: section({
    perIp: field("MAX_CONNECTIONS_PER_IP", wholeNumber(1, 1_000_000), 1_000, {
      doc: "Maximum number of connections from one IPv4 address or IPv6 /64, except from trusted proxies. The server closes further connections without a response.",
    }),
    total: field("MAX_CONNECTIONS", wholeNumber(1, 1_000_000), 10_000, {
      doc: "Maximum number of connections of all clients. The server closes further connections without a response. Keep the value below the operating system's limit of open files.",
    }),
  }),
  unauthenticatedCpuPercent: field("UNAUTHENTICATED_CPU_PERCENT", wholeNumber(0, 6_400), 25, {
    doc: "Processor time per IPv4 address or IPv6 /64 for clients that are not authenticated, in percent of one processor, on average over a minute. Encrypted log-ins without success have one such budget, invalid tokens and long bodies another one. Further ones fail with 706. 0: unlimited.",
  }),
  minTransferRate: field("MIN_TRANSFER_RATE", wholeNumber(1, 1_073_741_824), 16_384, {
    doc: "Minimum rate in bytes per second of an upload or a download, on average after the first 30 seconds of an upload or the first `timeouts.send` of a download. Only the time in which the server waits for the client counts. The server ends slower uploads with 699, and closes the connection of slower downloads.",
  }),
  drainDelay: field("DRAIN_DELAY", duration("0s", "10m"), "2s", {
    doc: "Time after SIGTERM in which `/readyz` returns 503 and the server still serves requests. Set it longer than your load balancer takes to notice. The demo ignores it.",
  }),
  timeouts: section({
    request: field("REQUEST_TIMEOUT", duration("100ms", "1h"), "30s", {
      doc: "Maximum time from the first byte of a request to the end of its body, except for uploads of files.",
    }),
    body: field("BODY_TIMEOUT", duration("100ms", "1h"), "10s", {
      doc: "Maximum time to receive a JSON body after the server has accepted the app key and the session. `request` still applies.",
    }),
    send: field("SEND_TIMEOUT", duration("100ms", "10m"), "20s", {
      doc: "Maximum time in which a client receives nothing of a response, or less than 256 KiB of a larger one. Then the server closes the connection.",
    }),
    multi: field("MULTI_TIMEOUT", duration("10ms", "1h"), "60s", {
      doc: "Maximum time of a multi request. Items that have not started by then fail with 706. With `atomic=true`, the transaction is rolled back.",
    }),
    keepAlive: field("KEEP_ALIVE_TIMEOUT", duration("100ms", "1h"), "65s", {
      doc: "Time after which the server closes an idle connection. Set it longer than the keep-alive timeout of a proxy in front.",
    }),
    drain: field("DRAIN_TIMEOUT", duration("0s", "10m"), "20s", {
      doc: "Maximum time for requests in progress to finish when the server stops.",
    }),
  }),
});
