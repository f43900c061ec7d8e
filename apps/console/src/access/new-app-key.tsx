import { Button, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import type { CreatedAppKeyData } from "@sallyport/client/admin";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { Copyable } from "../notices/copyable.tsx";

/** Creates a key, and shows it once: it stays on the page until the dialog is closed, and nowhere else. */
export function NewAppKey() {
  const texts = useTexts();
  const [isOpen, dialog] = useDisclosure(false);
  const [created, setCreated] = useState<CreatedAppKeyData | null>(null);
  const close = () => {
    dialog.close();
    setCreated(null);
  };
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
        {texts.appKeys.create}
      </Button>
      <Dialog
        isOpen={isOpen}
        title={created === null ? texts.appKeys.create : texts.appKeys.created(created.name)}
        closesOnEscape={created === null}
        onClose={close}
      >
        {created === null ? (
          <NewAppKeyForm onCreated={setCreated} onClose={close} />
        ) : (
          <CreatedKey created={created} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

interface NewAppKeyFormProps {
  onCreated(created: CreatedAppKeyData): void;
  onClose(): void;
}

function NewAppKeyForm({ onCreated, onClose }: NewAppKeyFormProps) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: {
      name: "",
      scope: "app" as "app" | "admin",
      appNames: [] as string[],
      origins: [] as string[],
    },
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ appNames, ...key }: typeof form.values) =>
      connection.administer((admin) =>
        admin.appKeys.create({ ...key, appNames: appNames.length === 0 ? null : appNames }),
      ),
    onSuccess: async (created) => {
      onCreated(created);
      await queries.invalidateQueries({ queryKey: ["app-keys"] });
    },
  });
  return (
    <DialogForm
      submit={texts.common.create}
      isPending={isPending}
      error={error}
      failure={texts.notices.saveFailed}
      onSubmit={form.onSubmit((values) => mutate(values))}
      onClose={onClose}
    >
      <TextInput
        label={texts.common.name}
        description={texts.appKeys.nameHelp}
        required
        autoComplete="off"
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Select
        label={texts.appKeys.scope}
        description={texts.appKeys.scopeHelp}
        data={[
          { value: "app", label: texts.appKeys.scopes.app },
          { value: "admin", label: texts.appKeys.scopes.admin },
        ]}
        allowDeselect={false}
        {...form.getInputProps("scope")}
      />
      {form.values.scope === "app" && (
        <>
          <TagsInput
            label={texts.appKeys.appNames}
            description={texts.appKeys.appNamesHelp}
            {...form.getInputProps("appNames")}
          />
          <TagsInput
            label={texts.appKeys.origins}
            description={texts.appKeys.originsHelp}
            {...form.getInputProps("origins")}
          />
        </>
      )}
    </DialogForm>
  );
}

/** The text of a new key, which no other page shows. */
export function CreatedKey({ created, onClose }: { readonly created: CreatedAppKeyData; onClose(): void }) {
  const texts = useTexts();
  return (
    <Stack>
      <Text size="sm">{texts.appKeys.onceHelp}</Text>
      <Copyable label={texts.appKeys.key} text={created.key} copy={texts.appKeys.copy}>
        <Button onClick={onClose}>{texts.appKeys.stored}</Button>
      </Copyable>
    </Stack>
  );
}
