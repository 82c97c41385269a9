/** A page that is there only where the server rehearses. */
import type { ReactNode } from 'react'
import { useClinic } from './clinic-context.tsx'
import { PageHead } from './page-head.tsx'
import { Empty } from './page-states.tsx'

export function RehearsalOnly({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { isRehearsal } = useClinic()
  if (isRehearsal) return children
  return (
    <>
      <PageHead title={title} />
      <Empty icon="flask" title="This server does not rehearse">
        It has REHEARSAL turned off, as servers in production have.
      </Empty>
    </>
  )
}
