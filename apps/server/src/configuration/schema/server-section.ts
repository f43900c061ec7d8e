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
    doc: "Requests in work at once; more are answered 706.",
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
