-- A chat's thread id is derived from these five, and unique. A second unique key beside the one that
-- the upsert names let two first messages of a chat, stored at once, fail each other.
alter table sessions drop constraint sessions_tenant_channel_account_chat_id_topic_key;
