export { FolderMailer, type Sender, SmtpMailer, type SmtpOptions } from "./mailers.ts";
