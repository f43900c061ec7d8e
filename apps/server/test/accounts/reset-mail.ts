import { PrepareResetMail } from "@sallyport/core";
import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import { storedServerKeys } from "../secure/stored-keys.ts";

/** Settings of the server, in addition to those of its mail. */
export const resetMailEnvironment: Readonly<Record<string, string>> = {
  ...storedServerKeys,
  PASSWORD_RESET_LINK: "https://app.example/new-password?of={alias}#{token}",
};

/** Issues tokens as the mail of a server contains them. */
export const resetMail = new PrepareResetMail(new NodeDigests(), new NodeRandomSource());
