/** Saves a recorded call as a file that the telephone and `npm run call` play. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { familiesOf, scriptOf } from '../../api/save-call.ts'
import { useTools } from '../../api/tools.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { readCall } from './use-call.ts'

export function SaveScript({ callId }: { readonly callId: string }) {
  const { id: clinic } = useClinic()
  const tools = useTools()
  const save = useMutation({
    // Read anew, as the call may have gone on.
    mutationFn: async () => {
      const { recording } = await readCall(clinic, callId)
      const script = scriptOf(recording, familiesOf(tools.data ?? { families: [] }))
      download(`call-${callId}.json`, `${JSON.stringify(script, undefined, 2)}\n`)
    },
    onError: (error) => notifications.show({ color: 'red', message: error.message }),
  })
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
      disabled={tools.data === undefined}
      onClick={() => save.mutate()}
    >
      Save as script
    </Button>
  )
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name.replace(/[^\w.-]/g, '-')
  link.click()
  URL.revokeObjectURL(address)
}
