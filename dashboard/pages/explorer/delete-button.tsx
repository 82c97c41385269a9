/** Deletes a resource; for a while it can be brought back as it was. */
import { Button } from '@mantine/core'
import { send } from '../../api/client.ts'
import { ifMatch } from '../../api/operations.ts'
import { offerUndo, tellProblem } from '../../parts/undo.tsx'

interface DeleteProps {
  readonly path: string
  /** The one that was seen: no other is deleted. */
  readonly version: string
  readonly onOpen: (path: string) => void
}

export function DeleteButton({ path, version, onOpen }: DeleteProps) {
  /** @param tag of the deletion */
  const undo = async (tag: string): Promise<void> => {
    // The resource on the page may be a part of it.
    const { text } = await send({ path: `${path}/_history/${version}` })
    const headers = { 'content-type': 'application/fhir+json', 'if-match': tag }
    await send({ method: 'PUT', path, body: text, headers })
    onOpen(path)
  }
  const remove = async (): Promise<void> => {
    try {
      const { headers } = await send({ method: 'DELETE', path, headers: ifMatch(version) })
      onOpen(`${path}/_history`)
      offerUndo(`${path} is deleted.`, { things: [path], undo: () => undo(headers.get('etag') ?? '') })
    } catch (error) {
      tellProblem(error)
    }
  }
  return (
    <Button size="xs" variant="default" onClick={() => void remove()}>
      Delete
    </Button>
  )
}
