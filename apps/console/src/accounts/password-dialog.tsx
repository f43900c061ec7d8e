import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { isPasswordRefusal, NewPasswordInput } from "./new-password-input.tsx";

interface PasswordDialogProps {
  readonly of: "users" | "customUsers";
  readonly accountId: string;
  readonly name: string;
  readonly isOpen: boolean;
  onClose(): void;
}

export function PasswordDialog({ isOpen, ...account }: PasswordDialogProps) {
  const texts = useTexts();
  return (
    <Dialog isOpen={isOpen} title={texts.users.passwordOf(account.name)} onClose={account.onClose}>
      <PasswordForm {...account} />
    </Dialog>
  );
}

function PasswordForm({ of, accountId, name, onClose }: Omit<PasswordDialogProps, "isOpen">) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const [password, setPassword] = useState("");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => connection.administer((admin) => admin[of].setPassword(accountId, password)),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      showSuccess(texts.users.passwordSet(name));
    },
  });
  return (
    <DialogForm
      submit={texts.users.setPassword}
      isPending={isPending}
      error={isPasswordRefusal(error) ? null : error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Text size="sm">{texts.users.passwordHelp}</Text>
      <NewPasswordInput
        of={of}
        error={error}
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        data-autofocus
      />
    </DialogForm>
  );
}
