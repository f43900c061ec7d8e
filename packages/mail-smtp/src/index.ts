export type { Mailer } from "@sallyport/core";
