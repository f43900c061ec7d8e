import { SallyportClient } from "@sallyport/client";
import { linkingLogIn, logInWithCode, returnedCode, startCodeLogIn } from "@sallyport/client/identity";

const returnTo = "http://localhost/callback";
const appNames = ["test-app"];

/** Begins the log-in: open `url` in the browser, and keep `verifier` in the application. */
export function begin(place, provider) {
  return startCodeLogIn(place, provider, { returnTo, appNames });
}

/**
 * Ends the log-in with the URL to which the browser has returned. An account that is not linked yet needs the password
 * of a database user once.
 */
export async function end(place, address, verifier, askPassword) {
  const client = new SallyportClient(place);
  const answer = await logInWithCode(client, { code: returnedCode(address), verifier });
  if (answer.assigned) return client;
  await client.logIn(linkingLogIn({ dfUuid: answer.dfUuid, appNames, passwordHash: "none", ...(await askPassword()) }));
  return client;
}
