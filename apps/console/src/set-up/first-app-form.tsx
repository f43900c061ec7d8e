import { Alert, Button, Group, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { SallyportError } from "@sallyport/client";
import type { CreatedAppKeyData, SallyportAdmin } from "@sallyport/client/admin";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";

export interface FirstApp {
  readonly name: string;
  readonly key: CreatedAppKeyData;
}

/** The answer for a thing that does not exist. */
const unknownCode = 304;

/** Creates an app name, unless it exists. */
async function ensureApp({ apps }: SallyportAdmin, name: string): Promise<void> {
  try {
    await apps.get(name);
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== unknownCode) throw error;
    await apps.create({ name });
  }
}

/** Creates an app name with an app key of the same name. */
export function FirstAppForm({ onCreated }: { onCreated(app: FirstApp): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: "", origins: [] as string[] } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ name, origins }: typeof form.values) =>
      connection.administer(async (admin) => {
        await ensureApp(admin, name);
        return { name, key: await admin.appKeys.create({ name, appNames: [name], origins }) };
      }),
    onSuccess: async (app) => {
      onCreated(app);
      await queries.invalidateQueries({ queryKey: ["app-keys"] });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))}>
      <Stack>
        <Text size="sm">{texts.firstSteps.appHelp}</Text>
        <TextInput
          label={texts.firstSteps.appName}
          description={texts.firstSteps.appNameHelp}
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("name")}
        />
        <TagsInput
          label={texts.appKeys.origins}
          description={texts.appKeys.originsHelp}
          {...form.getInputProps("origins")}
        />
        {error !== null && (
          <Alert color="red" role="alert" title={texts.notices.saveFailed}>
            <FailureDetails error={error} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {texts.appKeys.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
