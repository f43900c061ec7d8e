import { Alert, Button, Group, Modal, PasswordInput, PinInput, SegmentedControl, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { useConnection, useConnectionState } from "./connection-context.tsx";
import { LogInForm } from "./log-in-form.tsx";

/** Asks in place for a log-in or a proof, above the page that needs it. */
export function Questions() {
  const texts = useTexts();
  const connection = useConnection();
  const { clients, question } = useConnectionState();
  const common = { onClose: () => connection.refuse(), closeButtonProps: { "aria-label": texts.common.close } };
  return (
    <>
      <Modal {...common} opened={question === "log-in"} title={texts.logIn.again} closeOnClickOutside={false}>
        <Stack>
          <Text size="sm">{texts.logIn.againHelp}</Text>
          <LogInForm user={clients?.user ?? ""} />
        </Stack>
      </Modal>
      <Modal {...common} opened={question === "proof"} title={texts.proof.title} closeOnClickOutside={false}>
        <ProofForm />
      </Modal>
    </>
  );
}

function ProofForm() {
  const texts = useTexts();
  const connection = useConnection();
  const [kind, setKind] = useState("password");
  const [password, setPassword] = useState("");
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await connection.prove(kind === "password" ? { password } : { twoFactorToken: token });
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{texts.proof.help}</Text>
        <SegmentedControl
          aria-label={texts.proof.title}
          value={kind}
          onChange={setKind}
          data={[
            { value: "password", label: texts.proof.byPassword },
            { value: "token", label: texts.proof.byToken },
          ]}
        />
        {kind === "password" ? (
          <PasswordInput
            label={texts.logIn.password}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            autoComplete="current-password"
            required
            data-autofocus
          />
        ) : (
          <PinInput length={6} type="number" oneTimeCode aria-label={texts.logIn.token} onChange={setToken} />
        )}
        {failure !== null && (
          <Alert color="red" title={texts.proof.failed} role="alert">
            <FailureDetails error={failure} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => connection.refuse()}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {texts.proof.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
