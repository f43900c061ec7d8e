import { PasswordInput, PinInput, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../lists/dialog.tsx";
import { useConnection, useConnectionState } from "./connection-context.tsx";
import { LogInForm } from "./log-in-form.tsx";

/** Above a dialog that waits for the answer. */
const zIndex = 250;

/** Asks in place for a log-in or a proof, above the page that needs it. */
export function Questions() {
  const texts = useTexts();
  const connection = useConnection();
  const { clients, question } = useConnectionState();
  return (
    <>
      <Dialog
        zIndex={zIndex}
        isOpen={question === "log-in"}
        title={texts.logIn.again}
        onClose={() => connection.refuse()}
      >
        <Stack>
          <Text size="sm">{texts.logIn.againHelp}</Text>
          <LogInForm user={clients?.user ?? ""} />
        </Stack>
      </Dialog>
      <Dialog
        zIndex={zIndex}
        isOpen={question === "proof"}
        title={texts.proof.title}
        onClose={() => connection.refuse()}
      >
        <ProofForm />
      </Dialog>
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
  const submit = async () => {
    setBusy(true);
    try {
      await connection.prove(kind === "password" ? { password } : { twoFactorToken: token });
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <DialogForm
      submit={texts.proof.submit}
      isPending={isBusy}
      error={failure}
      failure={texts.proof.failed}
      onSubmit={submit}
      onClose={() => connection.refuse()}
    >
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
    </DialogForm>
  );
}
