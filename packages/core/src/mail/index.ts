export { type ClaimedOrder, DeliverMail, type DeliverMailParts, type Delivery } from "./deliver-mail.ts";
export {
  acceptMailAddress,
  type Letter,
  type Mail,
  mailAddress,
  type MailLanguage,
  mailLanguages,
  type MailOrder,
} from "./mail.ts";
export { type LetterWriter, type Mailer, type MailerTrouble, MailerUnusable, type MailOutcome } from "./mailer.ts";
export {
  type MailDesk,
  mailOrders,
  type MailSettings,
  type OrderContent,
  OrderMail,
  type OrderMailParts,
  SealedOrders,
  stuckOrders,
  type WaitingMail,
  waitingMail,
  type WaitingOrder,
} from "./order-mail.ts";
export type { PreparedReset, ResetMail, ResetOrder } from "./reset-mail.ts";
