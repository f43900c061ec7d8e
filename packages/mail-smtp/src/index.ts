export { FolderMailer } from "./folder-mailer.ts";
export { SmtpMailer } from "./smtp-mailer.ts";
export type { Sender, SmtpOptions } from "./smtp-options.ts";
