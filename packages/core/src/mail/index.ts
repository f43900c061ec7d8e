export { type Mail, type Mailer, type MailLanguage, mailLanguages, type MailOrder } from "./mail.ts";
export type { OutboxEntry, OutboxRepository } from "./outbox-repository.ts";
