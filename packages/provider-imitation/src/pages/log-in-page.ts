import type { ImitatedAccount } from "../imitated-account.ts";
import { escaped, page } from "./html.ts";

/** Where somebody chooses who he is; the form goes back to the address of the page. */
export function logInPage(provider: string, accounts: Iterable<ImitatedAccount>): string {
  const choices = Array.from(
    accounts,
    ({ id, name, surname, email }) =>
      `<button name="account" value="${escaped(id)}">${escaped(`${name} ${surname}`)}<small>${escaped(email)}</small></button>`,
  );
  return page(
    `Imitation of ${provider}`,
    `<h1>Imitation of ${escaped(provider)}</h1>
<p>Nobody here is real, and nobody asks for a password. Who are you?</p>
<form method="post">
${choices.join("\n")}
<button name="account" value="">Cancel</button>
</form>`,
  );
}

/** Sends what was decided to the application as a form, as Apple does. */
export function formPost(address: string, members: ReadonlyMap<string, string>): string {
  const fields = [...members].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return page(
    "Back to the application",
    `<form method="post" action="${escaped(address)}">
${fields.join("\n")}
<button>Back to the application</button>
</form>
<script>document.forms[0].submit()</script>`,
  );
}
