import { customPasswordReset, noHooks, ownPasswordReset, PrepareResetMail } from "@sallyport/core";
import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";

/** Issues tokens as the mail of a server contains them. */
export const resetMail = new PrepareResetMail(new NodeDigests(), new NodeRandomSource(), {
  own: ownPasswordReset,
  custom: customPasswordReset(noHooks, 8),
});
