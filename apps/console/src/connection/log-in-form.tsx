import { Alert, Button, PasswordInput, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { SallyportError } from "@sallyport/client";
import { IconAlertTriangle, IconBrowser, IconTicket } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { LinkCommand } from "../set-up/set-up-form.tsx";
import { useConnected, useConnectionState } from "./connection-context.tsx";
import { PasswordField, TokenField, useCredentials } from "./credentials.tsx";

/** The server asks for a token of the second factor, or for another one. */
const tokenCodes: ReadonlySet<number> = new Set([341, 342]);
const unknownKey = 101;

/** Takes the focus from no other field: a person may type already. */
function focusFirstEmpty(form: HTMLFormElement | null): void {
  if (form?.contains(document.activeElement)) return;
  const fields = form?.querySelectorAll<HTMLInputElement>('input:not([type="radio"])') ?? [];
  [...fields].find(({ value }) => value === "")?.focus();
}

interface LogInFormProps {
  /** The name of a person that logs in again. */
  readonly user?: string;
}

/** Logs in: as an administrator with an administration key, or as a user with the app key of the page. */
export function LogInForm({ user: known = "" }: LogInFormProps) {
  const texts = useTexts();
  const { connection, config } = useConnected();
  const { isElsewhere, ticketKey, isTicketRefused, wasUser } = useConnectionState();
  const remembered = connection.administrationKey;
  const [kind, setKind] = useState((known !== "" || wasUser) && remembered === null ? "user" : "administrator");
  useEffect(() => {
    if (ticketKey !== null || isTicketRefused) setKind("administrator");
  }, [ticketKey, isTicketRefused]);
  const [key, setKey] = useState("");
  const [user, setUser] = useState(known);
  const isAdministrator = kind === "administrator" || config.appKey === null;
  const { password, setPassword, setToken, failure, isPending, submit } = useCredentials((typed) =>
    connection.logIn({
      administrationKey: isAdministrator ? key.trim() || (remembered ?? "") : null,
      user,
      password: typed.password,
      twoFactorToken: typed.token === "" ? undefined : typed.token,
    }),
  );
  const form = useRef<HTMLFormElement>(null);
  // A ticket takes away the field of the key, in which the focus was.
  useEffect(() => focusFirstEmpty(form.current), [ticketKey]);
  const code = failure instanceof SallyportError ? failure.code : null;
  const asksToken = code !== null && tokenCodes.has(code);
  // The key of a ticket ends after some hours.
  const asksKey = isAdministrator && (remembered === null || code === unknownKey);

  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        {isElsewhere && known === "" && (
          <Alert icon={<IconBrowser size={18} />} role="status">
            {texts.logIn.elsewhere}
          </Alert>
        )}
        {config.appKey !== null && known === "" && (
          <SegmentedControl
            aria-label={texts.logIn.kind}
            value={kind}
            onChange={setKind}
            data={[
              { value: "administrator", label: texts.logIn.administrator },
              { value: "user", label: texts.logIn.user },
            ]}
          />
        )}
        {isAdministrator && known === "" && remembered !== null && (
          <Alert color="green" icon={<IconTicket size={18} />}>
            {texts.logIn.ticketUsed}
          </Alert>
        )}
        {isAdministrator && remembered === null && isTicketRefused && (
          <Alert color="yellow" icon={<IconAlertTriangle size={18} />} role="alert">
            <Stack gap="xs">
              {texts.logIn.ticketRefused}
              <LinkCommand />
            </Stack>
          </Alert>
        )}
        {asksKey && (
          <PasswordInput
            label={texts.logIn.key}
            description={texts.logIn.keyHelp}
            value={key}
            onChange={({ currentTarget }) => setKey(currentTarget.value)}
            autoComplete="off"
            required
          />
        )}
        <TextInput
          label={texts.logIn.userName}
          value={user}
          onChange={({ currentTarget }) => setUser(currentTarget.value)}
          autoComplete="username"
          readOnly={known !== ""}
          required
          data-autofocus={known === "" || undefined}
        />
        <PasswordField value={password} onChange={setPassword} isFocused={known !== ""} />
        {asksToken && <TokenField onChange={setToken} />}
        {failure !== null && code !== 341 && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} title={texts.logIn.failed} role="alert">
            <FailureDetails error={failure} />
          </Alert>
        )}
        <Button type="submit" loading={isPending}>
          {texts.logIn.submit}
        </Button>
      </Stack>
    </form>
  );
}
