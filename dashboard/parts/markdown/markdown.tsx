/** A page of the documentation, drawn from its Markdown. */
import { Anchor, Code, List, Table, Text, Title, type TitleOrder } from '@mantine/core'
import type { ReactNode } from 'react'
import { PageLink } from '../links.tsx'
import { type Block, docTarget, isWebAddress, type Mark, marksOf } from './blocks.ts'
import classes from './markdown.module.css'

interface MarkdownProps {
  readonly blocks: readonly Block[]
  /** The path of the page, from which its links lead. */
  readonly path: string
}

/** Without the title, which the page has as its own. */
export const Markdown = ({ blocks, path }: MarkdownProps) => (
  <div className={classes.text}>
    {blocks.map((block, index) =>
      block.kind === 'heading' && block.level === 1 ? null : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text do not move
        <BlockView key={index} block={block} path={path} />
      ),
    )}
  </div>
)

function BlockView({ block, path }: { readonly block: Block; readonly path: string }) {
  const inline = (text: string) => <Inline text={text} path={path} />
  switch (block.kind) {
    case 'heading':
      return (
        <Title
          order={Math.min(block.level, 6) as TitleOrder}
          size={block.level === 2 ? 'h4' : 'h5'}
          id={block.id}
          tabIndex={-1}
        >
          {inline(block.text)}
        </Title>
      )
    case 'code':
      return (
        <Code block className={classes.code}>
          {block.text}
        </Code>
      )
    case 'list':
      return (
        <List type={block.isOrdered ? 'ordered' : 'unordered'} size="sm">
          {block.items.map((item) => (
            <List.Item key={item}>{inline(item)}</List.Item>
          ))}
        </List>
      )
    case 'table':
      return <TableView head={block.head} rows={block.rows} inline={inline} />
    case 'text':
      return <Text size="sm">{inline(block.text)}</Text>
  }
}

/** Pixels of a column, below which the table scrolls. */
const LEAST_COLUMN = 110

interface TableViewProps {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly inline: (text: string) => ReactNode
}

function TableView({ head, rows, inline }: TableViewProps) {
  const isNamed = head.some((cell) => cell !== '')
  return (
    <Table.ScrollContainer
      className="card"
      minWidth={LEAST_COLUMN * (rows[0]?.length ?? 0)}
      role="group"
      aria-label="Table"
    >
      <Table verticalSpacing={4}>
        {isNamed && (
          <Table.Thead>
            <Table.Tr>
              {head.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a text do not move
                <Table.Td key={column} fw={600}>
                  {inline(cell)}
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Thead>
        )}
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.join('|')}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a text do not move
                <Table.Td key={column}>{inline(cell)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Inline({ text, path }: { readonly text: string; readonly path: string }) {
  return marksOf(text).map((mark, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the marks of a text do not move
    <MarkView key={index} mark={mark} path={path} />
  ))
}

function MarkView({ mark, path }: { readonly mark: Mark; readonly path: string }): ReactNode {
  switch (mark.kind) {
    case 'text':
      return mark.text
    case 'code':
      return <Code className={classes.word}>{mark.text}</Code>
    case 'strong':
      return (
        <strong>
          <Inline text={mark.text} path={path} />
        </strong>
      )
    case 'emphasis':
      return <em>{mark.text}</em>
    case 'link':
      return <LinkView text={mark.text} to={mark.to} path={path} />
  }
}

function LinkView({ text, to, path }: { readonly text: string; readonly to: string; readonly path: string }) {
  const shown = <Inline text={text} path={path} />
  const target = docTarget(to, path)
  if (target !== undefined) {
    return (
      <PageLink to="/help" search={{ doc: target.path, section: target.section || undefined }}>
        {shown}
      </PageLink>
    )
  }
  if (!isWebAddress(to)) return shown
  return (
    <Anchor href={to} target="_blank" rel="noreferrer" inherit>
      {shown}
    </Anchor>
  )
}
