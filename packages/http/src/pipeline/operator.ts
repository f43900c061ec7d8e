import { operatorCaller } from "@sallyport/core";
import { admissionOf } from "../exchange/admission.ts";
import { presentedCredentials } from "../exchange/credentials.ts";
import type { Exchange } from "../exchange/exchange.ts";

/**
 * Admits a request of the operator in place of app key, session, rates and proof, which it needs none of. Only an
 * application of the operator has this step. Its requests come from this process alone.
 */
export async function admitOperator(exchange: Exchange): Promise<void> {
  exchange.access = "session";
  exchange.credentials = presentedCredentials(exchange.request);
  // It reads the generations. There is no session whose idle time-out counts.
  exchange.admission = { ...(await admissionOf(exchange, 0)), ...operatorCaller };
  exchange.session = { digest: "", mode: "session" };
  exchange.appKeyDigest = "";
}
