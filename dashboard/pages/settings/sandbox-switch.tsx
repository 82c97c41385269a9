/** Turns the sandbox of the clinic off and on. */
import { Group, Switch, Text } from '@mantine/core'
import { sandboxPath, useSandbox, useSwitchSandbox } from '../../api/clinic.ts'
import { offerUndo, tellProblem } from '../../parts/undo.tsx'

export function SandboxSwitch({ clinic }: { readonly clinic: string }) {
  const { data } = useSandbox(clinic)
  const toggle = useSwitchSandbox(clinic)
  // Until it is known it is shown as it mostly is, so that nothing moves when it comes.
  const isOn = data?.enabled !== false
  const set = async (enabled: boolean) => {
    const tag = await toggle.mutateAsync({ enabled })
    offerUndo(`The sandbox is ${enabled ? 'on' : 'off'}.`, {
      things: [sandboxPath(clinic)],
      undo: () => toggle.mutateAsync({ enabled: !enabled, tag }),
    })
  }
  return (
    <Group className="card" p="md" justify="space-between">
      <div>
        <Text size="sm" fw={600}>
          Sandbox
        </Text>
        <Text size="sm" c="dimmed">
          Off, FHIR requests and live calls are refused; all data are kept.
        </Text>
      </div>
      <Switch
        label={isOn ? 'Sandbox is on' : 'Sandbox is off'}
        checked={isOn}
        disabled={data === undefined || toggle.isPending}
        onChange={({ currentTarget: { checked } }) => void set(checked).catch(tellProblem)}
      />
    </Group>
  )
}
