import { PasswordInput, PinInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTexts } from "../language/language.tsx";

interface Typed {
  readonly password: string;
  /** Of the second factor; empty if none was typed. */
  readonly token: string;
}

/** The state of a form in which a person proves who it is. After a success, the form disappears. */
export function useCredentials(send: (typed: Typed) => Promise<void>) {
  const [password, setPassword] = useState("");
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const submit = async () => {
    setPending(true);
    try {
      await send({ password, token });
    } catch (error) {
      setFailure(error);
      setPending(false);
    }
  };
  return { password, setPassword, setToken, failure, isPending, submit };
}

interface PasswordFieldProps {
  readonly value: string;
  readonly isFocused: boolean;
  onChange(password: string): void;
}

export function PasswordField({ value, isFocused, onChange }: PasswordFieldProps) {
  const texts = useTexts();
  return (
    <PasswordInput
      label={texts.logIn.password}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      autoComplete="current-password"
      required
      data-autofocus={isFocused || undefined}
    />
  );
}

/** The digits of a second factor. */
export function TokenField({ onChange }: Pick<PasswordFieldProps, "onChange">) {
  const texts = useTexts();
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {texts.logIn.token}
      </Text>
      <PinInput length={6} type="number" oneTimeCode aria-label={texts.logIn.token} onChange={onChange} />
      <Text size="xs" c="dimmed">
        {texts.logIn.tokenHelp}
      </Text>
    </Stack>
  );
}
