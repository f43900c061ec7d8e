import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { useConnection, useConnectionState } from "./connection-context.tsx";
import { PasswordField, TokenField, useCredentials } from "./credentials.tsx";
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
  const { password, setPassword, setToken, failure, isPending, submit } = useCredentials((typed) =>
    connection.prove(kind === "password" ? { password: typed.password } : { twoFactorToken: typed.token }),
  );
  return (
    <DialogForm
      submit={texts.proof.submit}
      isPending={isPending}
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
        <PasswordField value={password} onChange={setPassword} isFocused />
      ) : (
        <TokenField onChange={setToken} />
      )}
    </DialogForm>
  );
}
