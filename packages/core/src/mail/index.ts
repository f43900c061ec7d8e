export * from "./deliver-mail.ts";
export * from "./mail.ts";
export * from "./queue-mail.ts";
