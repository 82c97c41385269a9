/** The actions on a resource in a response, as far as the CapabilityStatement declares them. */
import { Button, Group } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import type { ReactNode } from 'react'
import { DeleteButton } from './delete-button.tsx'
import { isOffered } from './offers.ts'
import type { ConsoleAnswer } from './use-console.ts'

interface ActionsProps {
  readonly answer: ConsoleAnswer
  readonly statement: CapabilityStatement
  /** The body, a line for each element. */
  readonly text: string
  readonly onOpen: (path: string) => void
  readonly onEdit: (text: string, address: string, version: string | undefined) => void
  readonly children: ReactNode
}

interface Shown {
  readonly resourceType?: string
  readonly id?: string
  readonly meta?: { readonly versionId?: string }
}

export function AnswerActions({ answer, statement, text, onOpen, onEdit, children }: ActionsProps) {
  const { resourceType: type, id, meta } = (answer.body ?? {}) as Shown
  const isResource = type !== undefined && id !== undefined && answer.status < 300 && isOf(answer.request, type, id)
  const may = (code: string): boolean => isResource && isOffered(statement, type, code)
  const address = `${type}/${id}`
  return (
    <Group gap="xs">
      {may('update') && (
        <Button size="xs" variant="default" onClick={() => onEdit(text, address, meta?.versionId)}>
          Edit
        </Button>
      )}
      {may('history-instance') && (
        <Button size="xs" variant="default" onClick={() => onOpen(`${address}/_history`)}>
          History
        </Button>
      )}
      {may('delete') && meta?.versionId !== undefined && (
        <DeleteButton path={address} version={meta.versionId} onOpen={onOpen} />
      )}
      {children}
    </Group>
  )
}

/** Whether the request is about the resource itself: an operation, or `metadata`, may give one that is not stored. */
function isOf({ method = 'GET', path }: ConsoleAnswer['request'], type: string, id: string): boolean {
  const [address = ''] = path.split('?', 1)
  const current = address.replace(/\/_history\/[^/]+$/, '').replace(/\/+$/, '')
  const own = method === 'POST' ? type : `${type}/${id}`
  return current === own || current.endsWith(`/${own}`)
}
