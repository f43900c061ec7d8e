export * from "./deliver-mail.ts";
export * from "./mail.ts";
export * from "./mailer.ts";
export * from "./order-mail.ts";
export * from "./reset-mail.ts";
