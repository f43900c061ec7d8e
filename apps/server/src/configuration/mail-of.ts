import type { ConfigurationDocument } from "./schema/configuration-schema.ts";
import { isLoopbackHost } from "./schema/network-texts.ts";

type MailDocument = ConfigurationDocument["mail"];

/** How mail is sent, with what follows from the rest filled in. */
export interface MailConfiguration extends Omit<MailDocument, "smtp"> {
  readonly smtp: Omit<MailDocument["smtp"], "port" | "security"> & {
    readonly port: number | undefined;
    readonly security: "tls" | "startTls" | "none" | undefined;
  };
}

const ports = { tls: 465, startTls: 587, none: 25 } as const;

/** Fills in port and security of a relay: encrypted, unless it is on this machine. */
export function mailOf({ smtp, ...rest }: MailDocument): MailConfiguration {
  if (smtp.host === undefined) return { ...rest, smtp: { ...smtp, port: undefined, security: undefined } };
  const usual = smtp.port === ports.tls ? "tls" : isLoopbackHost(smtp.host) ? "none" : "startTls";
  const security = smtp.security ?? usual;
  return { ...rest, smtp: { ...smtp, security, port: smtp.port ?? ports[security] } };
}
