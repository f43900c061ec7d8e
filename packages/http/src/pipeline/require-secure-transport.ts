import { ServiceError } from "@sallyport/core";
import type { Step } from "./step.ts";

/** 307 when credentials come over plain HTTP from elsewhere than loopback, unless the configuration allows it. */
export const requireSecureTransport: Step = ({ access, route, origin }, { settings }) => {
  if (origin.secure || settings.allowInsecureTransport) return;
  if (access === "secrets" || access === "session" || route.carriesSecrets === true) {
    throw new ServiceError(307, { detail: "Credentials are taken over TLS only." });
  }
};
