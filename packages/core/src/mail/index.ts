export { type Letter, type Mail, type MailLanguage, mailLanguages, type MailOrder } from "./mail.ts";
export { mailAddress } from "./mail-address.ts";
export type { Mailer, MailOutcome } from "./mailer.ts";
export { MailerUnusable, type MailerTrouble } from "./mailer-unusable.ts";
export { type MailDesk, type MailSettings, OrderMail, type OrderMailParts } from "./order-mail.ts";
export type { MailHindrance, OutboxEntry, OutboxRepository, WaitingMail } from "./outbox-repository.ts";
export type { PreparedReset, ResetMail } from "./reset-mail.ts";
export { type OutboxContent, SealedOrders } from "./sealed-orders.ts";
