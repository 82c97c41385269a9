/** The switch of the sandbox, with its state. It is a button, as the fields of forms are not loaded for the first view. */
import { Box, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useSandbox, useSwitchSandbox } from '../../api/clinic.ts'
import { useClinic } from '../../parts/clinic-context.tsx'

export function SandboxSwitch() {
  const { id } = useClinic()
  const { data } = useSandbox(id)
  const toggle = useSwitchSandbox(id)
  if (data === undefined) return null
  const isOn = toggle.isPending ? toggle.variables.enabled : data.enabled
  const turn = () =>
    toggle.mutate(
      { enabled: !isOn },
      { onError: (error) => notifications.show({ color: 'red', message: error.message }) },
    )
  return (
    <Button
      size="xs"
      variant="default"
      role="switch"
      aria-checked={isOn}
      disabled={toggle.isPending}
      leftSection={<Box w={10} h={10} bdrs={5} bg={isOn ? 'teal.7' : 'red.8'} />}
      onClick={turn}
    >
      {isOn ? 'Sandbox is on' : 'Sandbox is off'}
    </Button>
  )
}
