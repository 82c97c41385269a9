/** Deletes a resource; for a while it can be brought back as it was. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { send } from '../../api/client.ts'
import { offerUndo } from '../../parts/undo.tsx'

interface DeleteProps {
  readonly path: string
  /** Of the resource. */
  readonly text: string
  readonly onOpen: (path: string) => void
}

export function DeleteButton({ path, text, onOpen }: DeleteProps) {
  const undo = async (): Promise<void> => {
    try {
      await send({ method: 'PUT', path, body: text, headers: { 'content-type': 'application/fhir+json' } })
      onOpen(path)
    } catch (error) {
      say(error)
    }
  }
  const remove = async (): Promise<void> => {
    try {
      await send({ method: 'DELETE', path })
      onOpen(`${path}/_history`)
      offerUndo(`${path} is deleted.`, undo)
    } catch (error) {
      say(error)
    }
  }
  return (
    <Button size="xs" variant="default" onClick={() => void remove()}>
      Delete
    </Button>
  )
}

const say = (error: unknown): void => {
  notifications.show({ color: 'red', message: error instanceof Error ? error.message : String(error) })
}
