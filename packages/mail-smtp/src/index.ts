export { FolderMailer } from "./folder-mailer.ts";
export type { Sender } from "./mail-message.ts";
export { SmtpMailer, type SmtpOptions } from "./smtp-mailer.ts";
