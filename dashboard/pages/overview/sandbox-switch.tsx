/** The switch of the sandbox, with its state. */
import { Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useSandbox, useSwitchSandbox } from '../../api/clinic.ts'
import { useClinic } from '../../parts/clinic-context.tsx'

export function SandboxSwitch() {
  const { id } = useClinic()
  const { data } = useSandbox(id)
  const toggle = useSwitchSandbox(id)
  if (data === undefined) return null
  const isOn = toggle.isPending ? toggle.variables.enabled : data.enabled
  return (
    <Switch
      checked={isOn}
      disabled={toggle.isPending}
      label={isOn ? 'Sandbox is on' : 'Sandbox is off'}
      onChange={(event) =>
        toggle.mutate(
          { enabled: event.currentTarget.checked },
          { onError: (error) => notifications.show({ color: 'red', message: error.message }) },
        )
      }
    />
  )
}
