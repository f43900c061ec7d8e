import { Paper, Stack, Stepper, Text, Title } from "@mantine/core";
import { useState } from "react";
import { CreatedKey } from "../access/new-app-key.tsx";
import { useTexts } from "../language/language.tsx";
import { FirstAppForm, type FirstApp } from "./first-app-form.tsx";
import { FirstModelForm } from "./first-model-form.tsx";
import { FirstRequest } from "./first-request.tsx";

/** Leads from the first administrator to the first request of an application. */
export function FirstStepsPage() {
  const texts = useTexts();
  const [step, setStep] = useState(0);
  const [app, setApp] = useState<FirstApp | null>(null);
  const [classes, setClasses] = useState<readonly string[]>([]);
  return (
    <Stack maw={720}>
      <div>
        <Title order={1} size="h2">
          {texts.firstSteps.title}
        </Title>
        <Text c="dimmed" size="sm">
          {texts.firstSteps.help}
        </Text>
      </div>
      <Stepper active={step} size="sm" allowNextStepsSelect={false}>
        <Stepper.Step label={texts.firstSteps.app} />
        <Stepper.Step label={texts.firstSteps.model} />
        <Stepper.Step label={texts.firstSteps.request} />
      </Stepper>
      <Paper withBorder p="lg" bg="var(--console-surface)">
        {step === 0 && app === null && <FirstAppForm onCreated={setApp} />}
        {step === 0 && app !== null && <CreatedKey created={app.key} onClose={() => setStep(1)} />}
        {step === 1 && (
          <FirstModelForm
            onChosen={(names) => {
              setClasses(names);
              setStep(2);
            }}
          />
        )}
        {step === 2 && app !== null && <FirstRequest app={app} classes={classes} />}
      </Paper>
    </Stack>
  );
}
