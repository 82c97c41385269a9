/** Saves a recorded call as a file that the telephone and `npm run call` play. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { familiesOf, scriptOf } from '../../api/save-call.ts'
import { useTools } from '../../api/tools.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { download } from '../../parts/download.ts'
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
      const text = `${JSON.stringify(script, undefined, 2)}\n`
      download(`call-${callId}.json`, new Blob([text], { type: 'application/json' }))
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
