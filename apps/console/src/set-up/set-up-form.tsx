import { Alert, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { SallyportError } from "@sallyport/client";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { useConnection, usePageConfig } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Copyable } from "../notices/copyable.tsx";
import { FailureDetails } from "../notices/notices.tsx";

/** The answer to a ticket that cannot be used. */
const refusedTicket = 302;

/** Only the machine of the server can begin a set-up. */
export function SetUpCommand() {
  const texts = useTexts();
  return (
    <Stack>
      <Text size="sm">{texts.setUp.commandHelp}</Text>
      <LinkCommand options=" --set-up" />
    </Stack>
  );
}

/** The command that prints a link to the console of this database. */
export function LinkCommand({ options = "" }: { readonly options?: string }) {
  const texts = useTexts();
  const { alias } = usePageConfig();
  const command = `sallyport-server console-link${options}${alias === "" ? "" : ` --alias ${alias}`}`;
  return <Copyable label={texts.setUp.command} text={command} copy={texts.setUp.copyCommand} />;
}

/** Creates the first administrator, who then is logged in. */
export function SetUpForm({ ticket }: { readonly ticket: string }) {
  const texts = useTexts();
  const connection = useConnection();
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { user: "", password: "", again: "", email: "" },
    validate: { again: (again, { password }) => (again === password ? null : texts.setUp.differs) },
  });
  const submit = async ({ user, password, email }: typeof form.values) => {
    setBusy(true);
    // The log-in opens the page of the address.
    history.replaceState(null, "", `${location.pathname}#/first-steps`);
    try {
      await connection.setUp(ticket, { user, password, email: email === "" ? null : email });
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack>
        <Text size="sm">{texts.setUp.help}</Text>
        <TextInput
          label={texts.logIn.userName}
          description={texts.users.nameHelp}
          autoComplete="username"
          required
          data-autofocus
          {...form.getInputProps("user")}
        />
        <PasswordInput
          label={texts.logIn.password}
          autoComplete="new-password"
          required
          {...form.getInputProps("password")}
        />
        <PasswordInput
          label={texts.setUp.again}
          autoComplete="new-password"
          required
          {...form.getInputProps("again")}
        />
        <TextInput
          label={texts.users.email}
          description={texts.users.emailHelp}
          type="email"
          autoComplete="email"
          {...form.getInputProps("email")}
        />
        {failure !== null && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} title={texts.users.notCreated} role="alert">
            <Stack>
              <FailureDetails error={failure} />
              {failure instanceof SallyportError && failure.code === refusedTicket && <SetUpCommand />}
            </Stack>
          </Alert>
        )}
        <Button type="submit" loading={isBusy}>
          {texts.setUp.submit}
        </Button>
      </Stack>
    </form>
  );
}
