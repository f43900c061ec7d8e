import { Code, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { Dialog, DialogForm } from "./dialog.tsx";

export interface ConfirmedAct {
  readonly title: string;
  /** What the act does, and what else it ends or removes. */
  readonly consequences: ReactNode;
  /** Name of the act, on the button. */
  readonly confirm: string;
  /** A name that the person types, for an act that cannot be undone. */
  readonly typed?: string | undefined;
  act(): Promise<unknown>;
}

interface ConfirmDialogProps {
  /** `null` closes the dialog. */
  readonly confirmed: ConfirmedAct | null;
  onClose(): void;
}

/** Asks before an act that takes something away, and stays open with the text of a refusal. */
export function ConfirmDialog({ confirmed, onClose }: ConfirmDialogProps) {
  return (
    <Dialog isOpen={confirmed !== null} title={visibleText(confirmed?.title ?? "")} onClose={onClose}>
      {confirmed !== null && <ConfirmForm {...confirmed} onClose={onClose} />}
    </Dialog>
  );
}

function ConfirmForm({
  consequences,
  confirm,
  typed,
  act,
  onClose,
}: ConfirmedAct & Pick<ConfirmDialogProps, "onClose">) {
  const texts = useTexts();
  const [text, setText] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <DialogForm
      submit={confirm}
      color="red"
      isDisabled={typed !== undefined && text !== typed && text !== visibleText(typed)}
      isPending={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Text size="sm" component="div">
        {consequences}
      </Text>
      {typed !== undefined && (
        <TextInput
          label={
            <>
              {texts.lists.typeName} <Code>{visibleText(typed)}</Code>
            </>
          }
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
    </DialogForm>
  );
}
