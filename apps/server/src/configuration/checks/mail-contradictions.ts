import { isLoopbackHost } from "../schema/network-texts.ts";
import type { ConfigurationDocument } from "../schema/configuration-schema.ts";
import { folderTrouble } from "../sources/folder-trouble.ts";
import { unreadable } from "../sources/unreadable.ts";
import { readTemplates } from "../../mail/read-templates.ts";
import type { Contradiction } from "./contradiction.ts";

/** Settings of mail that do not go together, and templates that are none. `demo`: it makes the master key that nobody gave. */
export function* mailContradictions(
  { mail, encryption }: ConfigurationDocument,
  demo: boolean,
): Generator<Contradiction> {
  const { smtp, folder, from, templates } = mail;
  const { host, security, user, password, caFile } = smtp;
  const against = ["mail.smtp.host"];
  if (host === undefined) {
    for (const [name, value] of Object.entries({ port: smtp.port, security, user, password, caFile })) {
      if (value !== undefined)
        yield { path: "mail.smtp.host", reason: `is required with ${name}`, against: [`mail.smtp.${name}`] };
    }
  } else {
    if (folder !== undefined)
      yield { path: "mail.folder", reason: "goes instead of a relay; give one of them", against };
    if (from === undefined) yield { path: "mail.from", reason: "is required with a relay", against };
    if (security === "none" && !isLoopbackHost(host)) {
      yield {
        path: "mail.smtp.security",
        reason: "may be none for a relay on this machine only: passwords and tokens would be readable on the way",
        against,
      };
    }
    if (user !== undefined && password === undefined)
      yield { path: "mail.smtp.password", reason: "is required with user", against: ["mail.smtp.user"] };
    if (password !== undefined && user === undefined)
      yield { path: "mail.smtp.user", reason: "is required with password", against: ["mail.smtp.password"] };
  }
  const fault = caFile === undefined ? null : unreadable(caFile);
  if (fault !== null) yield { path: "mail.smtp.caFile", reason: `names a file that ${fault}` };
  if ((host ?? folder) !== undefined && encryption.masterKey === undefined && !demo) {
    const reason = "is required for mail, which waits sealed under it; 'openssl rand -base64 32' makes one";
    yield { path: "encryption.masterKey", reason, against: [host === undefined ? "mail.folder" : "mail.smtp.host"] };
  }
  const trouble = folder === undefined ? null : folderTrouble(folder, { mayBeMissing: true });
  if (trouble !== null) yield { path: "mail.folder", reason: `names ${trouble}`, against: ["dataDir"] };
  if (templates !== undefined) yield* templateContradictions(templates);
}

function* templateContradictions(templates: string): Generator<Contradiction> {
  const trouble = folderTrouble(templates);
  const faults = trouble === null ? readTemplates(templates).faults : [];
  if (trouble !== null) yield { path: "mail.templates", reason: `names ${trouble}` };
  for (const fault of faults) yield { path: "mail.templates", reason: `names a folder in which ${fault}` };
}
