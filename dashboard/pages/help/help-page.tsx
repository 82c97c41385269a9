/** The documentation of the server: a page of it, its links leading on within the dashboard. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { docOf } from '../../api/docs.ts'
import { useFilters } from '../../parts/filters.ts'
import { PageLink } from '../../parts/links.tsx'
import { blocksOf } from '../../parts/markdown/blocks.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'

const FIRST = 'README.md'

export function HelpPage() {
  const [{ doc, section }] = useFilters({ doc: FIRST, section: '' })
  const query = useQuery(docOf(doc))
  return (
    <Loaded query={query} rows={10}>
      {(text) => <Doc key={doc} path={doc} text={text} section={section} />}
    </Loaded>
  )
}

interface DocProps {
  readonly path: string
  readonly text: string
  readonly section: string
}

function Doc({ path, text, section }: DocProps) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const heading = section === '' ? null : (frame.current?.querySelector(`#${CSS.escape(section)}`) ?? null)
    if (!(heading instanceof HTMLElement)) return
    heading.scrollIntoView()
    heading.focus({ preventScroll: true })
  }, [section])
  const blocks = useMemo(() => blocksOf(text), [text])
  const [title] = blocks
  return (
    <div ref={frame}>
      <PageHead
        title={title?.kind === 'heading' ? title.text : path}
        description={path === FIRST ? undefined : <PageLink to="/help">All pages of the documentation</PageLink>}
      />
      <Markdown blocks={blocks} path={path} />
    </div>
  )
}
