import { Alert, Button, FileInput, Group, Radio, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { classesOfFile, type NamedClass, putClasses, templates } from "./class-definitions.ts";

type Source = keyof typeof templates | "file" | "none";

const permissions = {
  all: ["read", "create", "write", "delete"],
  read: ["read"],
  administrators: [],
} as const;

type Access = keyof typeof permissions;

/** Creates the classes of a template or of a model file, or none. */
export function FirstModelForm({ onChosen }: { onChosen(classes: readonly string[]): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const [source, setSource] = useState<Source>("tasks");
  const [access, setAccess] = useState<Access>("all");
  const [file, setFile] = useState<File | null>(null);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const classes = await classesOf();
      await connection.work((data) => putClasses(data, classes));
      return classes.map(({ name }) => name);
    },
    onSuccess: async (names) => {
      await queries.invalidateQueries({ queryKey: ["classes"] });
      onChosen(names);
    },
  });
  const classesOf = async (): Promise<readonly NamedClass[]> => {
    if (source === "none") return [];
    if (source === "file") {
      const classes = classesOfFile((await file?.text()) ?? "");
      if (classes === null) throw new Error(texts.firstSteps.notModel(file?.name ?? ""));
      return classes;
    }
    const granted = permissions[access];
    const rights = granted.length === 0 ? [] : [{ group: "*", permissions: granted }];
    return templates[source].map((each) => ({ ...each, rights }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  const isTemplate = source !== "file" && source !== "none";
  return (
    <form onSubmit={submit}>
      <Stack>
        <Radio.Group
          label={texts.firstSteps.source}
          description={texts.firstSteps.sourceHelp}
          value={source}
          onChange={(value) => setSource(value as Source)}
        >
          <Stack mt="sm" gap="sm">
            <Radio value="tasks" label={texts.firstSteps.tasks} description={<ClassNames of={templates.tasks} />} />
            <Radio
              value="contacts"
              label={texts.firstSteps.contacts}
              description={<ClassNames of={templates.contacts} />}
            />
            <Radio value="orders" label={texts.firstSteps.orders} description={<ClassNames of={templates.orders} />} />
            <Radio value="file" label={texts.firstSteps.file} description={texts.firstSteps.fileHelp} />
            <Radio value="none" label={texts.firstSteps.none} description={texts.firstSteps.noneHelp} />
          </Stack>
        </Radio.Group>
        {isTemplate && (
          <Select
            label={texts.firstSteps.access}
            data={[
              { value: "all", label: texts.firstSteps.accessAll },
              { value: "read", label: texts.firstSteps.accessRead },
              { value: "administrators", label: texts.firstSteps.accessAdministrators },
            ]}
            value={access}
            onChange={(value) => setAccess((value ?? "all") as Access)}
            allowDeselect={false}
          />
        )}
        {source === "file" && (
          <FileInput
            label={texts.firstSteps.modelFile}
            accept="application/json,.json"
            value={file}
            onChange={setFile}
            required
          />
        )}
        {error !== null && (
          <Alert color="red" role="alert" title={texts.notices.saveFailed}>
            <FailureDetails error={error} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending} disabled={source === "file" && file === null}>
            {source === "none" ? texts.common.next : texts.firstSteps.createClasses}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ClassNames({ of }: { readonly of: readonly NamedClass[] }) {
  return (
    <Text span size="xs" c="dimmed">
      {of.map(({ name }) => name).join(" · ")}
    </Text>
  );
}
