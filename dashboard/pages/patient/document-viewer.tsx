/** Shows the content of a document: text and PDF here, anything else as a download. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Attachment, DocumentReference } from 'fhir/r4'
import { useEffect, useState } from 'react'
import { getBytes } from '../../api/client.ts'
import { useGet } from '../../api/queries.ts'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'

export function DocumentViewer({ id }: { readonly id: string }) {
  const query = useGet<DocumentReference>(`DocumentReference/${id}`)
  return (
    <Loaded query={query}>
      {({ content }) => (
        <Stack>
          {content.map(({ attachment }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the contents of one version are in one order
            <AttachmentView key={index} attachment={attachment} />
          ))}
        </Stack>
      )}
    </Loaded>
  )
}

function AttachmentView({ attachment }: { readonly attachment: Attachment }) {
  const { title, contentType } = attachment
  const absence = absenceOf(attachment)
  return (
    <Panel title={title ?? contentType ?? 'Content'}>
      {absence === undefined ? <LoadedContent attachment={attachment} /> : <Text size="sm">{absence}</Text>}
    </Panel>
  )
}

/** The reason why there is nothing to show. */
function absenceOf({ url, data }: Attachment): string | undefined {
  if (data !== undefined || (url !== undefined && isHere(url))) return undefined
  return url === undefined ? 'This document has no content.' : `Its content is elsewhere: ${url}`
}

function LoadedContent({ attachment }: { readonly attachment: Attachment }) {
  const { title, url, data, contentType } = attachment
  const query = useQuery({
    queryKey: ['content', url ?? data],
    queryFn: async ({ signal }) => {
      const bytes = await bytesOf(attachment, signal)
      return { bytes, text: contentType?.startsWith('text/plain') ? await bytes.text() : undefined }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  return <Loaded query={query}>{(read) => <Content {...read} contentType={contentType} name={title} />}</Loaded>
}

async function bytesOf({ url = '', data, contentType = '*/*' }: Attachment, signal: AbortSignal): Promise<Blob> {
  if (data !== undefined)
    return new Blob([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], { type: contentType })
  return getBytes({ path: url, headers: { accept: contentType }, signal })
}

/** Nothing is loaded from elsewhere. */
const isHere = (url: string): boolean => /^Binary\//.test(url) || url.startsWith(new URL('..', document.baseURI).href)

interface ContentProps {
  readonly bytes: Blob
  /** The content, where it is plain text. */
  readonly text: string | undefined
  /** Undefined where the type of the content is unknown, so that it can only be downloaded. */
  readonly contentType: string | undefined
  readonly name: string | undefined
}

function Content({ bytes, text, contentType, name = 'document' }: ContentProps) {
  const address = useObjectUrl(bytes, contentType)
  return (
    <Stack gap="xs">
      {/* Above the content, as pictures take their place late. */}
      <Group gap="xs">
        <Button
          component="a"
          href={address}
          download={name}
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={14} />}
        >
          Download
        </Button>
        <Text size="xs" c="dimmed">
          {contentType ?? 'of unknown type'}, {sizeText(bytes.size)}
        </Text>
      </Group>
      {contentType === 'application/pdf' && address !== undefined && (
        <iframe src={address} title={name} style={{ width: '100%', height: '60vh', border: 0 }} />
      )}
      {text !== undefined && (
        <Text component="pre" size="sm" m={0} dir="auto" style={{ whiteSpace: 'pre-wrap', fontFamily: 'inherit' }}>
          {text}
        </Text>
      )}
      {contentType?.startsWith('image/') && address !== undefined && (
        <img src={address} alt={name} style={{ maxWidth: '100%' }} />
      )}
    </Stack>
  )
}

/** For as long as it is shown. */
function useObjectUrl(bytes: Blob, type = ''): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return address
}

const sizeText = (bytes: number): string => (bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`)
