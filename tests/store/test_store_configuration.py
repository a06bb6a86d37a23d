from rag.settings_layers import SettingsService


def test_settings_survive_a_restart_and_can_be_reset(catalog, tmp_path):
    service = SettingsService(tmp_path, catalog.settings)
    service.update("retrieval", {"top_k": 9, "dense_weight": 0.5})
    restarted = SettingsService(tmp_path, catalog.settings)
    assert (restarted.current.retrieval.top_k, restarted.current.retrieval.dense_weight) == (9, 0.5)
    restarted.reset("retrieval", "top_k")
    assert SettingsService(tmp_path, catalog.settings).current.retrieval.top_k == 6
    restarted.reset("retrieval", "dense_weight")
    assert catalog.settings.load() == {}


def test_profiles_with_nested_values_come_back_whole(catalog, tmp_path):
    profile = {"name": "本地", "base_url": "http://127.0.0.1:1/v1", "model": 'm"`'}
    SettingsService(tmp_path, catalog.settings).update("chat", {"profiles": [profile]})
    loaded = SettingsService(tmp_path, catalog.settings).current.chat.profiles
    assert [(p.name, p.model) for p in loaded] == [("本地", 'm"`')]


def test_prompts_are_overridden_and_reset(catalog):
    catalog.prompts.save("generate", "第一版 {evidence}")
    catalog.prompts.save("generate", "第二版 {evidence}")
    assert catalog.prompts.load() == {"generate": "第二版 {evidence}"}
    catalog.prompts.reset("generate")
    assert catalog.prompts.load() == {}


def test_facts_are_single_values(catalog):
    assert catalog.facts.get("embedder") == ""
    catalog.facts.set("embedder", "a")
    catalog.facts.set("embedder", "b")
    assert catalog.facts.get("embedder") == "b"
    catalog.facts.set("embedder", "")
    assert catalog.facts.get("embedder") == ""
