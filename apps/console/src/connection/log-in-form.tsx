import { Alert, Button, PasswordInput, PinInput, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { SallyportError } from "@sallyport/client";
import { IconAlertTriangle, IconTicket } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { useConnected, useConnectionState } from "./connection-context.tsx";

/** The server asks for a token of the second factor, or for another one. */
const tokenCodes: ReadonlySet<number> = new Set([341, 342]);

interface LogInFormProps {
  /** The name of a person that logs in again. */
  readonly user?: string;
}

/** Logs in: as an administrator with an administration key, or as a user with the app key of the page. */
export function LogInForm({ user: known = "" }: LogInFormProps) {
  const texts = useTexts();
  const { connection, config, trade } = useConnected();
  const isTicketRefused = useIsRefused(trade);
  useConnectionState();
  const remembered = connection.administrationKey;
  const [kind, setKind] = useState(known !== "" && remembered === null ? "user" : "administrator");
  const [key, setKey] = useState("");
  const [user, setUser] = useState(known);
  const [password, setPassword] = useState("");
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const asksToken = failure instanceof SallyportError && tokenCodes.has(failure.code);
  const isAdministrator = kind === "administrator" || config.appKey === null;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const administrationKey = isAdministrator ? (remembered ?? key.trim()) : null;
      await connection.logIn({ administrationKey, user, password, twoFactorToken: token === "" ? undefined : token });
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <Stack>
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
            {texts.logIn.ticketRefused}
          </Alert>
        )}
        {isAdministrator && remembered === null && (
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
        <PasswordInput
          label={texts.logIn.password}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          autoComplete="current-password"
          required
          data-autofocus={known !== "" || undefined}
        />
        {asksToken && (
          <Stack gap={4}>
            <Text size="sm" fw={500}>
              {texts.logIn.token}
            </Text>
            <PinInput length={6} type="number" oneTimeCode aria-label={texts.logIn.token} onChange={setToken} />
            <Text size="xs" c="dimmed">
              {texts.logIn.tokenHelp}
            </Text>
          </Stack>
        )}
        {failure !== null && !(asksToken && failure.code === 341) && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} title={texts.logIn.failed} role="alert">
            <FailureDetails error={failure} />
          </Alert>
        )}
        <Button type="submit" loading={isBusy}>
          {texts.logIn.submit}
        </Button>
      </Stack>
    </form>
  );
}

function useIsRefused(trade: Promise<void> | null): boolean {
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    trade?.catch(() => setRefused(true));
  }, [trade]);
  return isRefused;
}
