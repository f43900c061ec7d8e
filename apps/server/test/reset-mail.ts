import {
  CustomPasswordReset,
  noHooks,
  OwnPasswordReset,
  PrepareResetMail,
  ReplacePassword,
  SettleCustomPassword,
} from "@sallyport/core";
import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";

const passwords = new ReplacePassword(5);

/** Gives out tokens as the mail of a server holds them. */
export const resetMail = new PrepareResetMail(new NodeDigests(), new NodeRandomSource(), {
  own: new OwnPasswordReset(passwords),
  custom: new CustomPasswordReset(new SettleCustomPassword(passwords), noHooks, 8),
});
