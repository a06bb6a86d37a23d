"""ZhiWen: Chinese-first retrieval-augmented chat. The library; it imports no Streamlit."""
