/** Descriptions of the server to be saved and imported: docs/voice/definitions.md. None needs a token. */
import { Anchor, Group, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { addressOf } from '../../api/address.ts'
import { Icon } from '../icon.tsx'
import { Panel } from '../panel.tsx'

const FORMATS = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'openai-chat', label: 'OpenAI, chat completions' },
  { value: 'vapi', label: 'Vapi, function tools' },
  { value: 'vapi-api-request', label: 'Vapi, API requests' },
  { value: 'retell', label: 'Retell' },
  { value: 'elevenlabs', label: 'ElevenLabs' },
  { value: 'bland', label: 'Bland' },
  { value: 'livekit', label: 'LiveKit' },
  { value: 'json-schema', label: 'JSON Schema' },
]

export function Downloads() {
  const [format, setFormat] = useState('openai')
  return (
    <Panel title="To import">
      <Stack gap="sm">
        <Download path="openapi.json" name="openapi.json" label="OpenAPI of all routes beside FHIR’s" />
        <Download path="metadata?_format=json" name="capability.json" label="CapabilityStatement of the FHIR API" />
        <Download
          path="tools?format=postman"
          name="sandbox-emr.postman.json"
          label="Postman collection of FHIR and the tools"
        />
        <Download
          path="tools?format=bruno"
          name="sandbox-emr.bruno.json"
          label="Bruno collection of FHIR and the tools"
        />
        <Group align="end" gap="sm">
          <NativeSelect
            label="Tool definitions for"
            data={FORMATS}
            value={format}
            onChange={({ currentTarget: { value } }) => setFormat(value)}
          />
          <Download path={`tools?format=${format}`} name={`tools.${format}.json`} label="Tool definitions" />
        </Group>
        <Download path="tools?format=prompt" name="prompt.md" label="System prompt of a voice agent" />
      </Stack>
    </Panel>
  )
}

interface DownloadProps {
  readonly path: string
  /** The name of the file. */
  readonly name: string
  readonly label: string
}

const Download = ({ path, name, label }: DownloadProps) => (
  <Anchor href={addressOf(path).href} download={name} size="sm" mih={24}>
    <Group gap="xs" wrap="nowrap" component="span">
      <Icon name="download" size={16} />
      {label}
    </Group>
  </Anchor>
)
